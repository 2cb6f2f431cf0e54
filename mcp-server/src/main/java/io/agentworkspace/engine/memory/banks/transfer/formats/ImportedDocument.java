package io.agentworkspace.engine.memory.banks.transfer.formats;

import io.agentworkspace.engine.memory.banks.transfer.source.Place;

/**
 * A text that becomes a document: a conversation, or a file of a project.
 *
 * @param name the document's name
 * @param turns how many turns of a conversation it has; 0 for another text
 */
public record ImportedDocument(String name, String text, int turns, Place place) {}
