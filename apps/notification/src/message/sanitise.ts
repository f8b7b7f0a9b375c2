// Removes secrets from texts before any channel sees them.
// Guarantee: what the table in sanitise.test.ts lists is replaced, whatever stands around it. Not a guarantee: a secret that
// looks like any other word, such as a password in a sentence, is not found.
// Every expression runs in linear time: repetitions are bounded, or end at a character that they cannot contain.

export const REDACTED = '[REDACTED]';

/** A name that ends so is one of a secret: `db_password`, `X-Api-Key`, `clientSecret`, `authtoken`. */
const SECRET_NAME =
	/(?:passwords?|passwd|passphrase|secret|token|api_?key|(?:access|secret|private|signing|encryption|account)_key|(?:^|_)(?:pass|pwd|auth|cookie|credentials?|connection_string|session_id))$/;

function isSecretName(name: string): boolean {
	return SECRET_NAME.test(
		name
			.replace(/([a-z0-9])([A-Z])/g, '$1_$2')
			.replace(/[^A-Za-z0-9]+/g, '_')
			.toLowerCase(),
	);
}

type Rule = { readonly what: RegExp; readonly by: string | ((match: string, ...groups: string[]) => string) };

/** In this order: a block is gone before its lines are looked at. */
const RULES: readonly Rule[] = [
	{
		what: /-----BEGIN ([A-Z0-9 ]{0,40}(?:PRIVATE KEY|CERTIFICATE)[A-Z0-9 ]{0,20})-----(?:[^-]|-(?!----)){0,16384}(?:-----END [A-Z0-9 ]{1,60}-----)?/g,
		by: (_match, kind) => `[REDACTED ${kind}]`,
	},
	// Headers.
	{
		what: /\b(authorization["']?\s{0,4}[:=]\s{0,4}["']?(?:bearer|basic|token|digest|negotiate|apikey)\s{1,4})[^\s"',;]{1,16384}/gi,
		by: `$1${REDACTED}`,
	},
	{ what: /\b((?:set-)?cookie:[ \t]{0,4})[^\r\n]{1,8192}/gi, by: `$1${REDACTED}` },
	{ what: /\b(bearer[ \t]{1,4})(?=[^\s"',;]{0,200}[0-9_.~+/=])[A-Za-z0-9\-_.~+/=]{8,16384}/gi, by: `$1${REDACTED}` },
	// Passwords in URLs; the user name stays.
	{ what: /\b([a-z][a-z0-9+.-]{0,30}:\/\/[^\s/:@"'<>]{0,256}:)[^\s/@"'<>]{1,1024}(?=@)/gi, by: `$1${REDACTED}` },
	{
		what: /((?:^|\s)(?:-u|--user)[ \t=]{1,4}["']?[^\s:"']{1,128}:)(?!\d{1,10}(?:\s|$))[^\s"']{1,1024}/g,
		by: `$1${REDACTED}`,
	},
	// URLs that are secrets themselves.
	{ what: /(hooks\.slack\.com\/(?:services|workflows|triggers)\/)[A-Za-z0-9_/-]{1,256}/gi, by: `$1${REDACTED}` },
	{ what: /((?:discord(?:app)?\.com)\/api\/webhooks\/)[A-Za-z0-9_/-]{1,256}/gi, by: `$1${REDACTED}` },
	{
		what: /([?&](?:X-Amz-Signature|X-Amz-Credential|X-Goog-Signature|sig|signature|access_token|auth)=)[^\s&"'<>#]{1,2048}/gi,
		by: `$1${REDACTED}`,
	},
	// Tokens that show by their form what they are.
	{ what: /\beyJ[A-Za-z0-9_-]{8,8192}\.[A-Za-z0-9_-]{2,16384}(?:\.[A-Za-z0-9_-]{0,8192})?/g, by: REDACTED },
	{ what: /\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b/g, by: REDACTED },
	{
		what: /\b(?:gh[opsur]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{20,255}|glpat-[A-Za-z0-9_-]{16,255})/g,
		by: REDACTED,
	},
	{ what: /\b(?:xox[abeoprs]-|xapp-)[A-Za-z0-9-]{10,255}/g, by: REDACTED },
	{ what: /\b(?:[sr]k_(?:live|test)_[A-Za-z0-9]{10,255}|sk-(?:[a-z]{2,12}-)?[A-Za-z0-9_-]{20,255})/g, by: REDACTED },
	{ what: /\bAIza[A-Za-z0-9_-]{30,64}/g, by: REDACTED },
	{
		what: /\b(?:npm_[A-Za-z0-9]{30,64}|pypi-[A-Za-z0-9_-]{30,255}|dop_v1_[a-f0-9]{64}|hvs\.[A-Za-z0-9_-]{20,255})/g,
		by: REDACTED,
	},
	{ what: /\bSG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,128}/g, by: REDACTED },
	{ what: /\bwhsec_[A-Za-z0-9+/=]{8,256}/g, by: REDACTED },
	{ what: /\bAGE-SECRET-KEY-1[A-Z0-9]{20,128}/g, by: REDACTED },
	{
		what: /(--?[A-Za-z][A-Za-z0-9_-]{0,63})([ \t]{1,4})([^\s-][^\s]{0,1023})/g,
		by: (match, name = '', separator = '') =>
			isSecretName(name) && name.startsWith('--') ? `${name}${separator}${REDACTED}` : match,
	},
];

/** Words after `token:` and the like that say something about a secret, and are none. */
const INNOCENT_VALUES =
	/^(?:\[REDACTED.*|true|false|yes|no|null|none|nil|undefined|empty|missing|required|optional|invalid|valid|expired|expires|revoked|denied|failed|failure|rejected|unauthorized|forbidden|not|is|was|has|must|cannot|could|the|a|an|for|of|in|on|\d{1,6}(?:ms|s|m|h|d)?)$/i;

function isInnocent(value: string, separator: string): boolean {
	// "password: the database did not take it" is prose; "password=the" is not.
	return separator.includes('=') ? /^(?:\[REDACTED|["']?$)/.test(value) : INNOCENT_VALUES.test(value);
}

function redactedAs(value: string): string {
	const quote = /^["']/.exec(value)?.[0] ?? '';
	return `${quote}${REDACTED}${quote}`;
}

export function sanitise(text: string): string {
	const withoutForms = RULES.reduce(
		(clean, { what, by }) => (typeof by === 'string' ? clean.replace(what, by) : clean.replace(what, by)),
		text,
	);
	return withoutNamedValues(withoutForms);
}

/** name=value, name: value, "name": "value". What follows a name that is innocent may itself begin with a name. */
function withoutNamedValues(text: string): string {
	const name = /(["']?)([A-Za-z0-9][A-Za-z0-9_.-]{0,63})\1([ \t]{0,4}[:=][ \t]{0,4})/g;
	const value = /"(?:[^"\\\r\n]|\\.){1,32768}"?|'(?:[^'\\\r\n]|\\.){1,32768}'?|[^\s"',;&}\])]{1,32768}/y;
	let clean = '';
	let copied = 0;
	for (let found = name.exec(text); found !== null; found = name.exec(text)) {
		if (!isSecretName(found[2] ?? '')) continue;
		value.lastIndex = name.lastIndex;
		const [secret] = value.exec(text) ?? [];
		if (secret === undefined || isInnocent(secret, found[3] ?? '')) continue;
		clean += `${text.slice(copied, name.lastIndex)}${redactedAs(secret)}`;
		copied = name.lastIndex + secret.length;
		name.lastIndex = copied;
	}
	return clean + text.slice(copied);
}

/** Of labels: also the whole value of a label whose name is one of a secret. */
export function sanitiseNamed(values: Readonly<Record<string, string>>): Record<string, string> {
	return Object.fromEntries(
		Object.entries(values).map(([name, value]) => [
			name,
			isSecretName(name) && value !== '' ? REDACTED : sanitise(value),
		]),
	);
}
