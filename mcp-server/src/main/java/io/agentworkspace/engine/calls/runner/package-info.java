/** {@code Runner} runs every tool: access, idempotency, transaction, rules, handler, envelope, audit. */
@NullMarked
package io.agentworkspace.engine.calls.runner;

import org.jspecify.annotations.NullMarked;
