/**
 * What the engine promises whatever the feature: it survives races, crashes (of its process, its memory or its database) and other
 * tenants. Each test is tagged with the one that it is about; tests of a feature are in the feature's package.
 */
package io.agentworkspace.engine.proof;
