/** Joining: invitations, and how a program becomes an agent with one: {@code InviteTools}, {@code Joiner}. */
@NullMarked
package io.agentworkspace.engine.integrations.joining;

import org.jspecify.annotations.NullMarked;
