/** Tasks of domains: claims with leases and fences ({@code TaskStore}), their order, history and notices. */
@NullMarked
package io.agentworkspace.engine.workspace.tasks;

import org.jspecify.annotations.NullMarked;
