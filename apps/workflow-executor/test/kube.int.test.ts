import { describeKubeExam } from '@kubernaut/testkit';
import * as kube from '../src/kube.ts';

describeKubeExam(kube);
