import { expect, it } from 'vitest';
import { executionNamespaceOf, inNamespaceOfTest } from './service-account.ts';

it('a binding in the execution namespace names the account of the own one', () => {
	const binding = {
		kind: 'RoleBinding',
		metadata: { name: 'workflow-executor', namespace: 'kubernaut-workflows' },
		subjects: [{ kind: 'ServiceAccount', name: 'workflow-executor', namespace: 'kubernaut-system' }],
	};
	expect(inNamespaceOfTest(binding, 'test-1')).toEqual({
		...binding,
		metadata: { ...binding.metadata, namespace: executionNamespaceOf('test-1') },
		subjects: [{ ...binding.subjects[0], namespace: 'test-1' }],
	});
});
