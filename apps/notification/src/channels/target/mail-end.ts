// What an SMTP exchange says about a message. A server's words are not repeated: only its code and enhanced status.
import type { DeliveryReason, SendEnd } from '../channel.ts';
import { ConnectError } from './connect-target.ts';
import type { MailResult, SmtpError } from './mail-server.ts';

/** Refusals that the library reports as answers of the server, not as a lost connection. */
const ANSWERS = new Set(['EENVELOPE', 'EMESSAGE', 'EAUTH']);
const TLS_CODE = /CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|ERR_SSL|EPROTO|ALTNAME/;

/** `recipients`: those of this attempt. */
export function mailEnd(sent: MailResult, recipients: readonly string[]): SendEnd {
	if (sent.result === 'accepted') return acceptedEnd(sent.rejected, recipients);
	const { error } = sent;
	if (error instanceof ConnectError) {
		const mayBeSent = sent.result === 'failed' && sent.contentRead;
		return { end: mayBeSent ? 'unknown' : 'refused-for-now', reason: error.reason, detail: error.message };
	}
	if (sent.result === 'not-connected')
		return {
			end: isForGood(error) ? 'refused-for-good' : 'refused-for-now',
			reason: sessionReason(error),
			detail: describe(error),
		};
	// Only an answer to the content says that it was not taken.
	if (sent.contentRead && !(error.code === 'EMESSAGE' && error.responseCode !== undefined))
		return { end: 'unknown', reason: 'NoAnswer', detail: `the connection was lost after DATA: ${describe(error)}` };
	const causes = error.rejectedErrors ?? [error];
	return causes.every(isForGood)
		? { end: 'refused-for-good', reason: 'RejectedByReceiver', detail: describe(error) }
		: {
				end: 'refused-for-now',
				reason: ANSWERS.has(error.code ?? '') ? 'ReceiverUnavailable' : 'Unreachable',
				detail: describe(error),
			};
}

function acceptedEnd(rejected: readonly SmtpError[], recipients: readonly string[]): SendEnd {
	if (rejected.length === 0) return { end: 'delivered' };
	const names = rejected.map(({ recipient }) => recipient);
	const remaining = recipients.filter((recipient) => names.includes(recipient));
	const codes = [...new Set(rejected.map(describe))].join(', ');
	return {
		end: rejected.every(isForGood) ? 'refused-for-good' : 'refused-for-now',
		reason: 'SomeRecipientsRejected',
		detail: `${remaining.length} of ${recipients.length} recipients were not accepted: ${codes}`,
		remaining,
	};
}

/** Credentials are read again when they change, so a login that fails is no answer about the message. */
function isForGood({ code, responseCode = 0 }: SmtpError): boolean {
	return code !== 'EAUTH' && code !== 'ETLS' && responseCode >= 500 && responseCode < 600;
}

function sessionReason({ code, originalCode = '', responseCode }: SmtpError): DeliveryReason {
	if (code === 'ETLS' || TLS_CODE.test(originalCode)) return 'TlsFailed';
	if (responseCode === undefined) return code === 'EPROTOCOL' ? 'ReceiverUnavailable' : 'Unreachable';
	if (responseCode < 500) return 'ReceiverUnavailable';
	return code === 'EAUTH' ? 'CredentialsInvalid' : 'RejectedByReceiver';
}

function describe({ code, originalCode, response = '', responseCode }: SmtpError): string {
	if (responseCode === undefined) return originalCode ?? code ?? 'unknown fault';
	const enhanced = /^\d{3}[ -](\d\.\d{1,3}\.\d{1,3})\b/.exec(response)?.[1];
	return `answered ${responseCode}${enhanced === undefined ? '' : ` ${enhanced}`}`;
}
