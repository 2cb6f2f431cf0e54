/** The context of a call: the acting user and the selected agent, domain and zone; the records of {@code target}. */
@NullMarked
package io.agentworkspace.engine.kernel.context;

import org.jspecify.annotations.NullMarked;
