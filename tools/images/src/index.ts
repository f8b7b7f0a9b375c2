export { LOCAL_BASE_IMAGE, makeBaseImage } from './base-image.ts';
export { type BuiltImage, buildImage, type ImageOptions } from './build-image.ts';
export { DockerError, docker, engineVersion } from './docker.ts';
export { LOCAL_REGISTRY, localName } from './local-name.ts';
export { APPS, type AppName, type StagedApp, stageApp } from './stage-app.ts';
