/** The audit: what is recorded of each change and refusal, and the tool that reads it. */
@NullMarked
package io.agentworkspace.engine.audit;

import org.jspecify.annotations.NullMarked;
