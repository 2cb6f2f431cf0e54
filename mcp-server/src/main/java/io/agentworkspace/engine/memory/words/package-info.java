/** What makes terms of the words of a text: identifiers, scripts without spaces, accents. */
@NullMarked
package io.agentworkspace.engine.memory.words;

import org.jspecify.annotations.NullMarked;
