/** Push notifications of A2A: clients say where they want to be told of a task's states, and the outbox of webhooks tells them. */
@NullMarked
package io.agentworkspace.engine.a2a.push;

import org.jspecify.annotations.NullMarked;
