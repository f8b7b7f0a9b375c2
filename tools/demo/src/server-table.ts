// The API server's own table of a list, as kubectl shows it, in the columns that are wanted.
import type { KubeApi } from '@kubernaut/control-plane';
import { columns } from './columns.ts';

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

type Table = { columnDefinitions: { name: string }[]; rows: { cells: unknown[] }[] };

export async function serverTable(api: KubeApi, path: string, wanted: readonly string[]): Promise<string[]> {
	const { columnDefinitions, rows } = (await api.call('GET', path, { accept: TABLE })) as unknown as Table;
	const shown = wanted.map((column) => columnDefinitions.findIndex(({ name }) => name === column));
	const lines = [
		columnDefinitions.map(({ name }) => name.toUpperCase()),
		...rows.map(({ cells }) => cells.map(cellText)),
	].map((line) => shown.map((index) => line[index] ?? ''));
	return columns(lines);
}

function cellText(cell: unknown): string {
	return typeof cell === 'string' || typeof cell === 'number' ? String(cell) : '';
}
