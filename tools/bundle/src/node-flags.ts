// How Node runs an app's bundle, in an image and in tests alike. An app lives on a small share of a node's memory, and
// Node would let its garbage lie until a large share of the machine is full: measured on the gateway after 5,000
// signals, 136 MB with these limits and 202 MB without, at the same speed.
// The heap's own limit leaves space for the largest bodies that the gateway takes at once; what lives in it is about 40 MB.
export const NODE_FLAGS = ['--max-semi-space-size=8', '--max-old-space-size=192'] as const;
