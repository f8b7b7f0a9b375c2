export { createReceiverCertificates, type ReceiverCertificates } from './certificates.ts';
export { type HttpBehaviour, type HttpsReceiver, type ReceivedHttp, startHttpsReceiver } from './https-receiver.ts';
export { type ReceiverSet, startReceiverSet } from './receiver-set.ts';
export { type ReceivedMail, type SmtpBehaviour, type SmtpReceiver, startSmtpReceiver } from './smtp-receiver.ts';
