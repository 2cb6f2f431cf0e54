/** What makes terms of the words of a text, in which language it is, and where a query's words are in it. */
@NullMarked
package io.agentworkspace.engine.kernel.text;

import org.jspecify.annotations.NullMarked;
