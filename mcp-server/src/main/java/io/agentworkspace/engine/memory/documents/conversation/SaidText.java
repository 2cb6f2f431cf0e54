package io.agentworkspace.engine.memory.documents.conversation;

/** What was said in a turn. */
public record SaidText(Turn turn, String text, String position) {}
