BEGIN { trace('a'); trace('\n'); trace('\0'); trace('\x41'); trace('\101'); trace('\''); trace('ab'); }
