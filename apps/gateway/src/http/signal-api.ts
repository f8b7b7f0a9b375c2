// Wires the HTTP side: breaker, admission, authentication and the server behind them.
import { createBackoff } from '@kubernaut/backoff';
import type { FastifyInstance } from 'fastify';
import { createAdmission } from '../guard/admission.ts';
import { createAuthenticator } from '../guard/auth.ts';
import { createBodyBudget } from '../guard/body-budget.ts';
import { createBreaker } from '../guard/breaker.ts';
import { followEventLoopDelay } from '../guard/event-loop-delay.ts';
import { guardIngest } from '../guard/guarded-ingest.ts';
import type { KubeClient } from '../kube/kube.ts';
import type { Clock } from '../process/clock.ts';
import type { Check } from '../process/health-server.ts';
import type { ExplainSignal, SignalIngest } from '../signal/signal.ts';
import type { SignalRules } from '../signal/signal-rules.ts';
import type { HttpConfig } from './http-config.ts';
import type { HttpObserver } from './http-observer.ts';
import { createHttpServer } from './http-server.ts';
import { followConnections } from './open-connections.ts';

export type SignalApiOptions = {
	readonly config: HttpConfig;
	readonly rules: SignalRules;
	readonly kube: Pick<KubeClient, 'call'>;
	/** Of the RemediationRequests; senders need the right to create them there. */
	readonly namespace: string;
	readonly ingest: SignalIngest;
	readonly explain: ExplainSignal;
	/** How long the work takes that waits now. */
	readonly backlogMs: () => number;
	readonly clock: Clock;
	readonly observer: HttpObserver;
	readonly isDraining: () => boolean;
	/** The API server has answered nothing for too long. */
	readonly onSilence: (listener: () => void) => void;
};
export type SignalApi = {
	readonly server: FastifyInstance;
	/** For readiness: not ok while signals are deferred without a try. */
	check(): Check;
	/** Resolves to the address. */
	listen(host: string, port: number): Promise<string>;
	/** Accepts nothing new; ends when every request is answered, at the latest after the deadline of a request. */
	close(): Promise<void>;
};

/** Connections that wait to be accepted: a storm opens them all at once, and the kernel drops those beyond. */
const LISTEN_BACKLOG = 4096;
// At most so long after the API server is back, the next signal is let through.
const OPEN_PERIOD = { basePeriodMs: 1000, maxPeriodMs: 3000 } as const;

export async function createSignalApi(options: SignalApiOptions): Promise<SignalApi> {
	const { config, kube, namespace, backlogMs, clock, observer } = options;
	const breaker = createBreaker(createBackoff(OPEN_PERIOD), clock, observer);
	options.onSilence(breaker.silent);
	const eventLoop = followEventLoopDelay(clock);
	const admission = createAdmission(config, { eventLoopDelayMs: eventLoop.meanMs, backlogMs, observer });
	const authenticator =
		config.auth === 'off'
			? undefined
			: createAuthenticator(
					namespace,
					{ issuers: config.authIssuers, audiences: config.authAudiences },
					{
						kube,
						observer,
						clock,
						isApiAway: () => breaker.state() !== 'closed',
					},
				);
	const server = await createHttpServer({
		ingest: guardIngest(options.ingest, breaker),
		breaker,
		admission,
		bodyBudget: createBodyBudget(config.maxBytesInWork, observer),
		authenticator,
		observer,
		resolvedAlerts: config.resolvedAlerts,
		storePayload: config.storePayload === 'on',
		explain: config.explain === 'on' ? options.explain : undefined,
		rules: options.rules,
		wallTime: () => clock.wallTime(),
		backlogMs,
		deadlineMs: config.httpDeadlineMs,
		maxBodyBytes: config.maxBodyBytes,
		receiveTimeoutMs: config.receiveTimeoutMs,
		isDraining: options.isDraining,
	});
	const connections = followConnections(server.server);
	return {
		server,
		check: () => ({ name: 'circuit-breaker', ok: breaker.state() !== 'open', message: breaker.state() }),
		listen: (host, port) => server.listen({ host, port, backlog: LISTEN_BACKLOG }),
		async close() {
			eventLoop.stop();
			const closed = server.close();
			connections.cutIdle();
			// By then every request whose body arrived is answered; the others never will be.
			const cancelCut = clock.setTimer(() => connections.cutAll(), config.httpDeadlineMs);
			await closed;
			cancelCut();
		},
	};
}
