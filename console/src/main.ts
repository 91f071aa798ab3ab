import {mount} from 'svelte';

import Console from './Console.svelte';
import {beginTexts} from './texts/texts.svelte';
import './style.css';

const target = document.getElementById('console');
if (!target) throw new Error('index.html has no #console');
await beginTexts();
mount(Console, {target});
