/**
 * The loop guard: {@code LoopGuard} stops agents that answer each other endlessly, by what {@code GuardQueries} has counted;
 * and its limits.
 */
@NullMarked
package io.agentworkspace.engine.workspace.guard;

import org.jspecify.annotations.NullMarked;
