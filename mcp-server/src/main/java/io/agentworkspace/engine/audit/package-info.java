/** The audit: what is written of each change and refusal, and the tools that read it. */
@NullMarked
package io.agentworkspace.engine.audit;

import org.jspecify.annotations.NullMarked;
