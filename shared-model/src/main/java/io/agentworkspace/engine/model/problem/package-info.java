/** Failures: every way in which a request can be refused, and the names in it. */
@NullMarked
package io.agentworkspace.engine.model.problem;

import org.jspecify.annotations.NullMarked;
