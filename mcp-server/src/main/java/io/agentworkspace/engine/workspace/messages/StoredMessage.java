package io.agentworkspace.engine.workspace.messages;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.agentworkspace.engine.model.agent.Message;

/** A message, and the id of its conversation. */
public record StoredMessage(
        long conversation, @JsonUnwrapped Message message) {}
