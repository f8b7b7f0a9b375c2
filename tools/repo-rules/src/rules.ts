// Every rule of the repository, by name. A new rule is a file in rules/, a line here and test/<name>.test.ts.
import { tablesEqualTheCode } from './docs/pages.ts';
import { appsStandAlone } from './rules/apps-stand-alone.ts';
import { arrows } from './rules/arrows.ts';
import { constantLogMessages } from './rules/constant-log-messages.ts';
import { decisionRecords } from './rules/decision-records.ts';
import { environmentOfTasks } from './rules/environment-of-tasks.ts';
import { justifiedDependencies } from './rules/justified-dependencies.ts';
import { lockfilePlatforms } from './rules/lockfile-platforms.ts';
import { locksPassTheContract } from './rules/locks-pass-the-contract.ts';
import { packagesHoldBackoffOnly } from './rules/packages-hold-backoff-only.ts';
import { permittedImports } from './rules/permitted-imports.ts';
import { pinnedVersions } from './rules/pinned-versions.ts';
import { sameRooms } from './rules/same-rooms.ts';
import { smallFolders } from './rules/small-folders.ts';
import { testsAreRun } from './rules/tests-are-run.ts';
import { testsNotNarrowed } from './rules/tests-not-narrowed.ts';
import type { Rule } from './violation.ts';

export const RULES: Readonly<Record<string, Rule>> = {
	'apps-stand-alone': appsStandAlone,
	arrows,
	'constant-log-messages': constantLogMessages,
	'decision-records': decisionRecords,
	'environment-of-tasks': environmentOfTasks,
	'justified-dependencies': justifiedDependencies,
	'lockfile-platforms': lockfilePlatforms,
	'locks-pass-the-contract': locksPassTheContract,
	'packages-hold-backoff-only': packagesHoldBackoffOnly,
	'permitted-imports': permittedImports,
	'pinned-versions': pinnedVersions,
	'same-rooms': sameRooms,
	'small-folders': smallFolders,
	'tables-equal-the-code': tablesEqualTheCode,
	'tests-are-run': testsAreRun,
	'tests-not-narrowed': testsNotNarrowed,
};
