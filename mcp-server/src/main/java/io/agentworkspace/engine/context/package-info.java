/** The context of a call: who acts, the selected agent, domain and zone; and the words of {@code target}. */
@NullMarked
package io.agentworkspace.engine.context;

import org.jspecify.annotations.NullMarked;
