import { describeAppConformance } from '@kubernaut/testkit';
import { APP } from '../src/app.ts';
import { CONFIG_KEYS } from '../src/config.ts';

const environmentNames = Object.values(CONFIG_KEYS).map((key) => key.env);

describeAppConformance(APP.name, APP.metricsPrefix, environmentNames);
