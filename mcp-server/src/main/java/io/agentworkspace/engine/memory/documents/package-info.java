/** Documents: their tools and SQL, and their files on their way in and out. */
@NullMarked
package io.agentworkspace.engine.memory.documents;

import org.jspecify.annotations.NullMarked;
