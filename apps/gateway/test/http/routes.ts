// The addresses that signals are sent to; callers depend on them.
export const PROMETHEUS = '/api/v1/signals/prometheus';
export const EVENT = '/api/v1/signals/kubernetes-event';
