/** Files that consist of the pages of an answer. */
@NullMarked
package io.agentworkspace.engine.rest.files;

import org.jspecify.annotations.NullMarked;
