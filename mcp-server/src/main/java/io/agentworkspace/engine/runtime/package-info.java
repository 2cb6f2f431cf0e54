/** Runs tools: access, idempotency, transaction, envelope. */
@NullMarked
package io.agentworkspace.engine.runtime;

import org.jspecify.annotations.NullMarked;
