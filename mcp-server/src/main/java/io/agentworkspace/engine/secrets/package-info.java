/** Secrets at rest: the master key, where it comes from, and what it seals. */
@NullMarked
package io.agentworkspace.engine.secrets;

import org.jspecify.annotations.NullMarked;
