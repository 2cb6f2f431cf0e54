/**
 * Why a caller may run a tool on a thing, or why not: {@code AccessExplanation}; and what a call was about, for the
 * audit.
 */
@NullMarked
package io.agentworkspace.engine.calls.why;

import org.jspecify.annotations.NullMarked;
