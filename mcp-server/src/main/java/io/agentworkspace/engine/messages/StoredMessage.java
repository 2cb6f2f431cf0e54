package io.agentworkspace.engine.messages;

import io.agentworkspace.engine.model.agent.Message;

/** A message, and the id of the stream that it is in. */
public record StoredMessage(long stream, Message message) {}
