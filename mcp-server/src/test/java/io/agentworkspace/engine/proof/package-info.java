/** What the engine promises under stress: races, bad input, crashes, foreign tenants. Each proof uses it as clients do. */
package io.agentworkspace.engine.proof;
