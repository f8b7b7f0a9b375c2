// Where alerts come from, and how connections fail.
import { join } from 'node:path';
import type { Part } from '../part.ts';

const PROMETHEUS = 'v0.311.2';
// Without the clients of all the clouds: the programs are a third of the size, and we name our targets ourselves.
const PROMETHEUS_TAGS = 'remove_all_sd';

export const MONITORING_PARTS = {
	alertmanager: {
		module: 'github.com/prometheus/alertmanager',
		version: 'v0.31.1', // from v0.32 on the module lacks the files of its web page
		package: 'github.com/prometheus/alertmanager/cmd/alertmanager',
		directory: 'alertmanager',
		ldflags: '-X github.com/prometheus/common/version.Version=0.31.1',
		versionArgs: ['--version'],
		oldest: '0.25',
		ports: 1,
		start: ({ directory, ports: [port], extraArgs }) => ({
			args: [
				`--config.file=${join(directory, 'alertmanager.yaml')}`,
				`--storage.path=${join(directory, 'alertmanager')}`,
				`--web.listen-address=127.0.0.1:${port}`,
				'--cluster.listen-address=', // alone: no gossip
				...extraArgs,
			],
			url: `http://127.0.0.1:${port}`,
			readyUrl: `http://127.0.0.1:${port}/-/ready`,
		}),
	},
	prometheus: {
		module: 'github.com/prometheus/prometheus',
		version: PROMETHEUS,
		package: 'github.com/prometheus/prometheus/cmd/prometheus',
		directory: 'prometheus',
		ldflags: '-X github.com/prometheus/common/version.Version=3.11.2',
		tags: PROMETHEUS_TAGS,
		versionArgs: ['--version'],
		oldest: '2.42',
		ports: 1,
		start: ({ directory, ports: [port], extraArgs }) => ({
			args: [
				`--config.file=${join(directory, 'prometheus.yaml')}`,
				`--storage.tsdb.path=${join(directory, 'prometheus')}`,
				`--web.listen-address=127.0.0.1:${port}`,
				...extraArgs,
			],
			url: `http://127.0.0.1:${port}`,
			readyUrl: `http://127.0.0.1:${port}/-/ready`,
		}),
	},
	promtool: {
		module: 'github.com/prometheus/prometheus',
		version: PROMETHEUS,
		package: 'github.com/prometheus/prometheus/cmd/promtool',
		directory: 'prometheus',
		ldflags: '-X github.com/prometheus/common/version.Version=3.11.2',
		tags: PROMETHEUS_TAGS,
		versionArgs: ['--version'],
		oldest: '2.42',
		ports: 0,
	},
	toxiproxy: {
		module: 'github.com/Shopify/toxiproxy/v2',
		version: 'v2.12.0',
		package: 'github.com/Shopify/toxiproxy/v2/cmd/server',
		directory: 'toxiproxy',
		ldflags: '-X github.com/Shopify/toxiproxy/v2.Version=2.12.0',
		versionArgs: ['--version'],
		oldest: '2.5',
		ports: 1,
		start: ({ ports: [port], extraArgs }) => ({
			args: ['-host=127.0.0.1', `-port=${port}`, ...extraArgs],
			url: `http://127.0.0.1:${port}`,
			readyUrl: `http://127.0.0.1:${port}/version`,
		}),
	},
} satisfies Record<string, Part>;
