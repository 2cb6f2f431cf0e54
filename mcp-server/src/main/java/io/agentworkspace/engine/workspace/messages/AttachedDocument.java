package io.agentworkspace.engine.workspace.messages;

import io.agentworkspace.engine.model.agent.Message.Attachment;
import java.util.UUID;

/** A version of a document that is attached to a new message, and how the message shows it. */
public record AttachedDocument(UUID id, Attachment attachment) {}
