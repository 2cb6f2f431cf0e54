/** The audit: what is recorded of each change and refusal, and the tool that reads it. */
@NullMarked
package io.agentworkspace.engine.identity.audit;

import org.jspecify.annotations.NullMarked;
