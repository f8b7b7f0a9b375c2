import { describeKubeExam } from '@kubernaut/testkit';
import * as kube from '../src/kube/kube.ts';

describeKubeExam(kube);
