/** The search of messages by their words: AP_Search. */
@NullMarked
package io.agentworkspace.engine.messages.search;

import org.jspecify.annotations.NullMarked;
