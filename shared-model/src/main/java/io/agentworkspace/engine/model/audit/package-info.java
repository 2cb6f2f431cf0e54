/** The audit's records. */
@NullMarked
package io.agentworkspace.engine.model.audit;

import org.jspecify.annotations.NullMarked;
