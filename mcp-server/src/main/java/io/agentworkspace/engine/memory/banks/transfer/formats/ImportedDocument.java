package io.agentworkspace.engine.memory.banks.transfer.formats;

import io.agentworkspace.engine.memory.banks.transfer.source.Place;
import org.jspecify.annotations.Nullable;

/**
 * A text that becomes a document: a conversation, or a file of a project.
 *
 * @param name the document's name
 * @param origin what it is in the other product, whatever its title; null if it has no id there
 * @param turns how many turns of a conversation it has; 0 for another text
 */
public record ImportedDocument(String name, @Nullable String origin, String text, int turns, Place place) {}
