import { describeKubeConformance } from '@kubernaut/testkit';
import * as kube from '../src/kube/kube.ts';

describeKubeConformance(kube);
