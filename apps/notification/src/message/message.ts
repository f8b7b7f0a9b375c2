// What the channels send: a NotificationRequest without its secrets. Every text in it went through `sanitise`, so that a
// channel cannot forget to.

export const MESSAGE_TYPES = ['Escalation', 'StatusUpdate', 'Completion', 'ManualReview'] as const;
export type MessageType = (typeof MESSAGE_TYPES)[number];

export const MESSAGE_PRIORITIES = ['Critical', 'High', 'Medium', 'Low'] as const;
export type MessagePriority = (typeof MESSAGE_PRIORITIES)[number];

/** `spec.context` of a NotificationRequest. */
export type MessageContext = {
	readonly cause?: string;
	readonly causeDigest?: string;
	readonly signalName?: string;
	readonly severity?: string;
	readonly signalFingerprint?: string;
	readonly firingTime?: string;
	readonly chain?: number;
	readonly targetResource?: string;
	readonly workflow?: string;
	readonly execution?: string;
	readonly outcome?: string;
	readonly labels?: Readonly<Record<string, string>>;
};

export type Message = {
	readonly uid: string;
	readonly namespace: string;
	readonly name: string;
	readonly createdAt: string;
	/** Name of the RemediationRequest. */
	readonly request?: string;
	readonly type: MessageType;
	readonly priority: MessagePriority;
	readonly subject: string;
	readonly body: string;
	readonly context: MessageContext;
};
