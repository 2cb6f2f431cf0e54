/** The records of the audit. */
@NullMarked
package io.agentworkspace.engine.model.audit;

import org.jspecify.annotations.NullMarked;
