/** Agent cards: what other agents read before they call, for whoever may see the agent, signed. */
@NullMarked
package io.agentworkspace.engine.a2a.cards;

import org.jspecify.annotations.NullMarked;
