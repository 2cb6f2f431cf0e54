/** How agents hear of messages: calls that wait for one (AP_Wait), and who can be woken: {@code WakeStore}. */
@NullMarked
package io.agentworkspace.engine.workspace.delivery.wait;

import org.jspecify.annotations.NullMarked;
