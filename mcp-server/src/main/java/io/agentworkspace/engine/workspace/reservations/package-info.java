/** Reservations of paths: which globs overlap ({@code Glob}), who holds which, and what a hook refuses. */
@NullMarked
package io.agentworkspace.engine.workspace.reservations;

import org.jspecify.annotations.NullMarked;
