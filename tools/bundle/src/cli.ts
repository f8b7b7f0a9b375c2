#!/usr/bin/env node
// `bundle-app` in an app's directory: src/main.ts → dist/main.mjs
import { join } from 'node:path';
import { bundleApp } from './bundle-app.ts';

await bundleApp(process.cwd(), join(process.cwd(), 'dist', 'main.mjs'));
