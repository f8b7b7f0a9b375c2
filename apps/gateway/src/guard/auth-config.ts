// The keys about senders, and what AUTH=off allows.
import { type ConfigOf, configKey } from '../process/config-loader.ts';
import { oneOf, textList } from '../process/config-values.ts';

export const AUTH_CONFIG_KEYS = {
	auth: configKey({
		path: 'server.auth',
		env: 'AUTH',
		value: oneOf('on', 'off'),
		default: 'on',
		help: 'Whether senders need a token that may create remediationrequests. Off is allowed only outside a cluster; signals are then received on loopback only.',
	}),
	authIssuers: configKey({
		path: 'server.auth_issuers',
		env: 'AUTH_ISSUERS',
		value: textList,
		default: undefined,
		help: 'Issuers of the JSON Web Tokens that senders use; a token of another issuer is refused without a call to the API server. Any issuer when absent.',
	}),
	authAudiences: configKey({
		path: 'server.auth_audiences',
		env: 'AUTH_AUDIENCES',
		value: textList,
		default: undefined,
		help: 'Audiences of the JSON Web Tokens that senders use; a token for none of them is refused without a call to the API server. Any audience when absent.',
	}),
} as const;

export type AuthConfig = ConfigOf<typeof AUTH_CONFIG_KEYS>;

const LOOPBACK = '127.0.0.1';

/** The address that signals are received on; undefined: that of the other ports. */
export function apiAddress({ auth, listenAddress }: ListeningConfig): string | undefined {
	return auth === 'off' && listenAddress === undefined ? LOOPBACK : undefined;
}

type ListeningConfig = Pick<AuthConfig, 'auth'> & { readonly listenAddress: string | undefined };

export function impossibleAuth(
	config: ListeningConfig,
	environment: Readonly<Record<string, string | undefined>>,
): string[] {
	if (config.auth === 'on') return [];
	if (environment['KUBERNETES_SERVICE_HOST'] !== undefined)
		return ['AUTH is off in a cluster: every client that reaches the port could start remediations; set it to on'];
	return config.listenAddress === undefined || isLoopback(config.listenAddress)
		? []
		: [
				`AUTH is off and LISTEN_ADDRESS is ${config.listenAddress}: every client that reaches the port could start remediations; set LISTEN_ADDRESS to ${LOOPBACK}, or AUTH to on`,
			];
}

function isLoopback(address: string): boolean {
	return address === 'localhost' || address === '::1' || /^127(?:\.\d{1,3}){3}$/.test(address);
}
