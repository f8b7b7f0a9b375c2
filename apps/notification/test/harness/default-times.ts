/** Set by `npm run robustness -- notification --default-times`: no time limit or pace is shortened. */
export const DEFAULT_TIMES = process.env['KUBERNAUT_DEFAULT_TIMES'] === '1';
