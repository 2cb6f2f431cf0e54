/** Failures: {@code Problem} is thrown, {@code Failure} lists the kinds; and the names that callers give. */
@NullMarked
package io.agentworkspace.engine.model.problem;

import org.jspecify.annotations.NullMarked;
