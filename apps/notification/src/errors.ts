// Every fault that this app names, with a stable code.
import { KUBE_ERROR_CODES } from './kube/kube-errors.ts';

export const ERROR_CODES = { ...KUBE_ERROR_CODES } as const;
