package io.agentworkspace.engine.workspace.messages;

import io.agentworkspace.engine.model.agent.Message;

/** A message, and the id of its conversation. */
public record StoredMessage(long conversation, Message message) {}
