/** The search of messages by their words: AP_Search. */
@NullMarked
package io.agentworkspace.engine.workspace.chat.search;

import org.jspecify.annotations.NullMarked;
